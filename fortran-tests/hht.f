C     The pendulum of the report with method 1: HHT and generalised-alpha
C     on the index-3 equations, IOPT(16)=1 and IOPT(18)=1.
C     Closed form; SOLOUT compares GEDENSOUT with X at both ends of every
C     step.
C
C     X = [ lambda | v1 v2 | p1 p2 ]
C     RPAR: gravity, largest difference of GEDENSOUT and X at grid
C     points, largest residual of gI
C
      PROGRAM HHT
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=5,M=7)
      DOUBLE PRECISION XEX(N),X0(N)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 DEVMAX,BOUND
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX
C
      DATA XEX /6.530129232836035D0,
     #          1.164034305982725D0,-0.893604934116132D0,
     #         -0.608937263148838D0,-0.7932183870465957D0/
C     lambda = (v*v + g*cos(theta))/2 at the lowest point
      DATA X0 /10.795D0, 2.8D0,0.D0, 0.D0,-1.D0/
      NGOOD=0
      NBAD=0
      DO 50 K=1,5
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        IOPT(16)=1
        IOPT(18)=1
        TOL=1.D-7
        IJAC=1
C       1 HHT, 2 less dissipation and differences, 3 generalised-alpha,
C       4 projected output and no gII, 5 constant steps
        IF (K.EQ.2) THEN
          IJAC=0
          ROPT(10)=-0.1D0
        END IF
        IF (K.EQ.3) IOPT(23)=1
        IF (K.EQ.4) THEN
          IOPT(5)=1
          IOPT(22)=3
        END IF
        IF (K.EQ.5) IOPT(19)=1
        RPAR(1)=13.75D0
        RPAR(2)=0.D0
        RPAR(3)=0.D0
        DO 20 I=1,N
          X(I)=X0(I)
   20   CONTINUE
        IF (K.EQ.1) CALL JACCHK(2,2,0,0,0,1,0,0,0.D0,XEX,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
C       Without gII the multiplier is found by the method itself.
        IF (K.EQ.4) X(1)=0.D0
        TEND=5.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    2,2,0,0,0,1,0,0,M-IOPT(5),N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,1,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('HHT',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
C       Of second order: the error follows TOL**(2/3).
        BOUND=20.D0*TOL**(2.D0/3.D0)
        CALL VERIFY('position',DEVMAX(2,X(4),XEX(4)),BOUND,NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(2,X(2),XEX(2)),10.D0*BOUND,
     #              NGOOD,NBAD)
        CALL VERIFY('multiplier',DEVMAX(1,X,XEX),2.D2*BOUND,NGOOD,NBAD)
        CALL VERIFY('dense output',RPAR(2),1.D-13,NGOOD,NBAD)
        IF (K.EQ.4) CALL VERIFY('residual of gI',RPAR(3),1.D-12,
     #                          NGOOD,NBAD)
   50 CONTINUE
C     alpha must lie between -1/3 and 0
      ROPT(10)=-0.5D0
      T=0.D0
      IDID=0
      CALL GEOMS(
     #  2,2,0,0,0,1,0,0,M,N,0,
     #  X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #  IVCOND,EOM,MAS,JAC,IJAC,
     #  SOLOUT,1,
     #  20,IWORK,5*N,RWORK,
     #  RPAR,IPAR,IERR,
     #  IDID)
      CALL VERIFY('refusal of alpha',DBLE(ABS(IDID+1001)),0.5D0,
     #            NGOOD,NBAD)
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   la ',F15.10/'   v  ',2F15.10/'   p  ',2F15.10)
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(2)
      INTEGER          L
      F(1)=-2.D0*X(4)*X(1)
      F(2)=-RPAR(1)-2.D0*X(5)*X(1)
      L=0
C     gII | gI | g
      IF (IOPT(5).EQ.0) THEN
        RDA(1)=2.D0*(X(2)**2+X(3)**2+X(4)*F(1)+X(5)*F(2))
        L=1
      END IF
      RDA(L+1)=2.D0*(X(2)*X(4)+X(3)*X(5))
      RDA(L+2)=X(4)**2+X(5)**2-1.D0
C     f_dyn | f_kin
      RDA(L+3)=F(1)
      RDA(L+4)=F(2)
      RDA(L+5)=X(2)
      RDA(L+6)=X(3)
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      MA(1,1)=1.D0
      MA(2,1)=0.D0
      MA(1,2)=0.D0
      MA(2,2)=1.D0
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      INTEGER          I,J
      DO 20 J=1,N
        DO 10 I=1,M5
          FX5(I,J)=0.D0
   10   CONTINUE
   20 CONTINUE
      DO 40 J=1,N3+N4
        DO 30 I=1,M6
          FX6(I,J)=0.D0
   30   CONTINUE
   40 CONTINUE
      IF (M1.EQ.1) THEN
        FX1(1,1)=4.D0*(X(4)**2+X(5)**2)
        DO 50 I=1,2
          FX1(1,1+I)=-4.D0*X(1+I)
          FX1(1,3+I)=8.D0*X(1)*X(3+I)
   50   CONTINUE
        FX1(1,5)=FX1(1,5)+2.D0*RPAR(1)
      END IF
      DO 60 I=1,2
        FX2(1,I)=-2.D0*X(3+I)
        FX2(1,2+I)=-2.D0*X(1+I)
        FX3(1,I)=-2.D0*X(3+I)
        FX5(I,1)=2.D0*X(3+I)
        FX5(I,3+I)=2.D0*X(1)
        FX6(I,I)=-1.D0
   60 CONTINUE
      RETURN
      END
C
C     GEDENSOUT at both ends of the step, and gI.
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      DOUBLE PRECISION GEDENSOUT
      INTEGER          I
      EXTERNAL         GEDENSOUT
      DO 10 I=2,5
        RPAR(2)=MAX(RPAR(2),ABS(X(I)-GEDENSOUT(I,T,N,
     #          NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)))
        IF (NACCPT.GT.0) RPAR(2)=MAX(RPAR(2),ABS(RPAR(3+I)-GEDENSOUT(
     #          I,TOLD,N,NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)))
   10 CONTINUE
      DO 20 I=2,5
        RPAR(3+I)=X(I)
   20 CONTINUE
      RPAR(3)=MAX(RPAR(3),ABS(X(2)*X(4)+X(3)*X(5)))
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(*),RPAR(*)
      IERR=-1
      RETURN
      END
