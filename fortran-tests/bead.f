C     Bead on a horizontal circle with Coulomb friction: the friction
C     depends on the normal force through an auxiliary variable w,
C       0 = d = w-2*R*abs(lambda),  f = -fric*w*v/abs(v).
C     Closed form: phi = log(1+fric*v0*t/R)/fric.
C
C     X = [ w lambda | v1 v2 | p1 p2 ]
C     RPAR: R, friction, speed v0, next output time, largest error
C
      PROGRAM BEAD
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=6,M=8)
      DOUBLE PRECISION XEX(N)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA XEX /0.09765625D0,0.048828125D0,
     # -0.05681216390985483354D0,-0.3072924145368378402D0,
     # -0.9833357265178810885D0,0.1817989245115354673D0/
      NGOOD=0
      NBAD=0
      DO 50 K=1,4
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        IJAC=1
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        IF (K.EQ.4) IOPT(11)=2
        TOL=1.D-10
        IF (K.EQ.4) TOL=1.D-7
        RPAR(1)=1.D0
        RPAR(2)=0.3D0
        RPAR(3)=5.D0
        RPAR(4)=0.D0
        RPAR(5)=0.D0
C       Rough: the library finds w=25, lambda=12.5, p1=1, v1=0.
        X(1)=20.D0
        X(2)=10.D0
        X(3)=0.1D0
        X(4)=5.D0
        X(5)=0.9D0
        X(6)=0.D0
        IF (K.EQ.1) CALL JACCHK(2,2,0,1,0,1,0,0,0.D0,X,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        IF (K.EQ.1) CALL JACCHK(2,2,0,1,0,1,0,0,10.D0,XEX,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        IF (K.EQ.3) X(2)=12.5D0
        TEND=10.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    2,2,0,1,0,1,0,0,8-IOPT(5),N,2,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,1,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Bead',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(2,X(5),XEX(5)),30.D0*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(2,X(3),XEX(3)),30.D0*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('w and lambda',DEVMAX(2,X,XEX),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('dense output',RPAR(5),1.D3*TOL,NGOOD,NBAD)
        CALL EOM(8-IOPT(5),N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(2,RDA(3-IOPT(5))),
     #              TOL,NGOOD,NBAD)
        CALL VERIFY('residual of d',SIZMAX(1,RDA(1)),
     #              TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   w, lambda ',2F15.10/'   v         ',2F15.10/
     #       '   p         ',2F15.10)
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(2),SPEED
      INTEGER          I,L
      SPEED=SQRT(X(3)**2+X(4)**2)
      DO 10 I=1,2
        F(I)=-RPAR(2)*X(1)*X(2+I)/SPEED-2.D0*X(2)*X(4+I)
   10 CONTINUE
      RDA(1)=X(1)-2.D0*RPAR(1)*ABS(X(2))
      L=1
      IF (IOPT(5).EQ.0) THEN
        RDA(2)=2.D0*(SPEED**2+X(5)*F(1)+X(6)*F(2))
        L=2
      END IF
      RDA(L+1)=2.D0*(X(5)*X(3)+X(6)*X(4))
      RDA(L+2)=X(5)**2+X(6)**2-RPAR(1)**2
      RDA(L+3)=F(1)
      RDA(L+4)=F(2)
      RDA(L+5)=X(3)
      RDA(L+6)=X(4)
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      CALL CLEAR(M*N,MA)
      MA(1,1)=1.D0
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
      DOUBLE PRECISION SPEED,FW,F
      INTEGER          I,J
      SPEED=SQRT(X(3)**2+X(4)**2)
      FW=RPAR(2)*X(1)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      DO 20 I=1,2
        FX5(I,1)=RPAR(2)*X(2+I)/SPEED
        FX5(I,2)=2.D0*X(4+I)
        DO 10 J=1,2
          FX5(I,2+J)=-FW*X(2+I)*X(2+J)/SPEED**3
   10   CONTINUE
        FX5(I,2+I)=FX5(I,2+I)+FW/SPEED
        FX5(I,4+I)=2.D0*X(2)
        FX6(I,I)=-1.D0
        FX2(1,I)=-2.D0*X(4+I)
        FX2(1,2+I)=-2.D0*X(2+I)
        FX3(1,I)=-2.D0*X(4+I)
   20 CONTINUE
      FX1(1,1)=-1.D0
      FX1(1,2)=SIGN(2.D0*RPAR(1),X(2))
      IF (M1.EQ.2) THEN
C       gII = 2*(v.v+p.F): the part in F through FX5
        DO 30 J=1,N
          FX1(2,J)=2.D0*(X(5)*FX5(1,J)+X(6)*FX5(2,J))
   30   CONTINUE
        DO 40 I=1,2
          F=-FW*X(2+I)/SPEED-2.D0*X(2)*X(4+I)
          FX1(2,2+I)=FX1(2,2+I)-4.D0*X(2+I)
          FX1(2,4+I)=FX1(2,4+I)-2.D0*F
   40   CONTINUE
      END IF
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     The error of position at the times 0, 0.2, 0.4, ...
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      DOUBLE PRECISION GEDENSOUT,PHI,Y(2)
      INTEGER          I
      EXTERNAL         GEDENSOUT
   10 IF (RPAR(4).LE.T+1.D-9) THEN
        PHI=LOG(1.D0+RPAR(2)*RPAR(3)*RPAR(4)/RPAR(1))/RPAR(2)
        Y(1)=RPAR(1)*COS(PHI)
        Y(2)=RPAR(1)*SIN(PHI)
        DO 20 I=1,2
          RPAR(5)=MAX(RPAR(5),ABS(Y(I)-GEDENSOUT(4+I,RPAR(4),N,
     #            NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)))
   20   CONTINUE
        RPAR(4)=RPAR(4)+0.2D0
        GOTO 10
      END IF
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      COND(1)=X(6)
      COND(2)=X(4)-RPAR(3)
      RETURN
      END
