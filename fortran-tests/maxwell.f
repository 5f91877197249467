C     Mass on an inclined guide with a spring and a Maxwell element,
C     whose force r is a dynamical force element variable:
C       f = (-k0*xi-r)*e+(0,-m*gr),  r' = k1*e.v-(k1/c)*r,  xi = e.p
C     Linear; reference by the matrix exponential.
C
C     X = [ lambda | r | v1 v2 | p1 p2 ]
C     RPAR: m, k0, k1, c, cos(beta), sin(beta), gravity
C
      PROGRAM MAXWEL
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=6,M=8)
      DOUBLE PRECISION XEX(N),BETA
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA XEX /-8.495709211125343125D0,-0.002601353926566570702D0,
     #  0.002221404729945781608D0,0.001282528618813304937D0,
     # -0.4305906540467034453D0,-0.2486016300244012547D0/
      NGOOD=0
      NBAD=0
      BETA=ATAN(1.D0)*4.D0/6.D0
      DO 50 K=1,4
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        IJAC=1
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        IF (K.EQ.4) IOPT(12)=1
        TOL=1.D-10
        IF (K.EQ.4) TOL=1.D-6
        RPAR(1)=1.D0
        RPAR(2)=10.D0
        RPAR(3)=40.D0
        RPAR(4)=2.D0
        RPAR(5)=COS(BETA)
        RPAR(6)=SIN(BETA)
        RPAR(7)=9.81D0
        X(1)=-RPAR(1)*RPAR(7)*RPAR(5)
        X(2)=0.D0
        X(3)=0.D0
        X(4)=0.D0
        X(5)=RPAR(5)
        X(6)=RPAR(6)
        IF (K.EQ.1) CALL JACCHK(2,2,1,0,0,1,0,0,0.D0,X,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        TEND=5.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    2,2,1,0,0,1,0,0,8-IOPT(5),N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Maxwell',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(2,X(5),XEX(5)),30.D0*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(2,X(3),XEX(3)),30.D0*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('r',DEVMAX(1,X(2),XEX(2)),30.D0*TOL,NGOOD,NBAD)
        CALL VERIFY('multiplier',DEVMAX(1,X,XEX),
     #              (1.D3+1.D5*IOPT(5))*TOL,NGOOD,NBAD)
        CALL EOM(8-IOPT(5),N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(2,RDA(2-IOPT(5))),
     #              TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda, r ',2F15.10/'   v         ',2F15.10/
     #       '   p         ',2F15.10)
      END
C
C     G = (-sin(beta),cos(beta))
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(2),CB,SB,PULL
      INTEGER          L
      CB=RPAR(5)
      SB=RPAR(6)
      PULL=-RPAR(2)*(CB*X(5)+SB*X(6))-X(2)
      F(1)=PULL*CB+SB*X(1)
      F(2)=PULL*SB-RPAR(1)*RPAR(7)-CB*X(1)
      L=0
C     gII | gI | g
      IF (IOPT(5).EQ.0) THEN
        RDA(1)=(-SB*F(1)+CB*F(2))/RPAR(1)
        L=1
      END IF
      RDA(L+1)=-SB*X(3)+CB*X(4)
      RDA(L+2)=-SB*X(5)+CB*X(6)
C     b | f_dyn | f_kin
      RDA(L+3)=RPAR(3)*(CB*X(3)+SB*X(4))-RPAR(3)/RPAR(4)*X(2)
      RDA(L+4)=F(1)
      RDA(L+5)=F(2)
      RDA(L+6)=X(3)
      RDA(L+7)=X(4)
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      CALL CLEAR(M*N,MA)
      MA(1,1)=RPAR(1)
      MA(2,2)=RPAR(1)
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
      DOUBLE PRECISION CB,SB
      CB=RPAR(5)
      SB=RPAR(6)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
C     The forces along the guide do not enter gII.
      IF (M1.EQ.1) FX1(1,1)=1.D0/RPAR(1)
      FX2(1,1)=SB
      FX2(1,2)=-CB
      FX3(1,1)=SB
      FX3(1,2)=-CB
      FX4(1,2)=RPAR(3)/RPAR(4)
      FX4(1,3)=-RPAR(3)*CB
      FX4(1,4)=-RPAR(3)*SB
      FX5(1,1)=-SB
      FX5(1,2)=CB
      FX5(1,5)=RPAR(2)*CB*CB
      FX5(1,6)=RPAR(2)*SB*CB
      FX5(2,1)=CB
      FX5(2,2)=SB
      FX5(2,5)=RPAR(2)*CB*SB
      FX5(2,6)=RPAR(2)*SB*SB
      FX6(1,1)=-1.D0
      FX6(2,2)=-1.D0
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
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
C     The initial values are consistent: nothing to add.
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      RETURN
      END
