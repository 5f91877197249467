C     Rolling disks, two nonholonomic constraints each (Bloch,
C     Nonholonomic Mechanics and Control, Springer 2003):
C
C     upright  p = (x,y,theta,phi), M = diag(m,m,I,J)
C     leaning  p = (x,y,phi,theta,psi): yaw, inclination (upright at
C              pi/2), spin; the mass matrix depends on theta; steady
C              rolling at 60 degrees
C
C     X = [ mu1 mu2 | v | p ];  IPAR(1): number of coordinates, 4 or 5
C     RPAR: upright m, I, J, R;  leaning m, R, gravity
C
      PROGRAM DISK
      IMPLICIT NONE
      INTEGER          N,M,NQ,NX,MX,ITASK
      PARAMETER        (N=12,M=14)
      DOUBLE PRECISION XEX(N),W3,OM,TH,A,C,R
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      NGOOD=0
      NBAD=0
      DO 50 K=1,6
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        ITASK=(K+2)/3
        NQ=3+ITASK
        NX=2+2*NQ
        IPAR(1)=NQ
        IJAC=1
        TOL=1.D-10
        IF (MOD(K,3).EQ.2) IJAC=0
        IF (MOD(K,3).EQ.2) TOL=1.D-7
        IF (MOD(K,3).EQ.0) IOPT(5)=1
        MX=NX+2-2*IOPT(5)
        TEND=10.D0
        IF (ITASK.EQ.1) THEN
          IOPT(15)=4
          RPAR(1)=1.D0
          RPAR(2)=0.5D0
          RPAR(3)=0.25D0
          RPAR(4)=1.D0
          XEX(1)=5.4776715043657659263D0
          XEX(2)=-2.4484923708803519164D0
          XEX(3)=1.2242461854401759582D0
          XEX(4)=2.7388357521828829631D0
          XEX(5)=3.D0
          XEX(6)=2.D0
          XEX(7)=1.3694178760914414816D0
          XEX(8)=0.8878769072799120209D0
          XEX(9)=30.D0
          XEX(10)=20.D0
C         Start in the origin; the multipliers are (0,-m*R*Om*w).
          CALL CLEAR(N,X)
          X(2)=-6.D0
          X(3)=3.D0
          X(5)=3.D0
          X(6)=2.D0
        ELSE
          RPAR(1)=1.D0
          RPAR(2)=0.5D0
          RPAR(3)=9.81D0
          XEX(1)=2.3167088889315983539D0
          XEX(2)=2.0736465516225822953D0
          XEX(3)=-0.5184116379056455738D0
          XEX(4)=0.5791772222328995885D0
          XEX(5)=4.D0
          XEX(6)=0.D0
          XEX(7)=-3.5546020469167429166D0
          XEX(8)=0.1447943055582248971D0
          XEX(9)=0.3239281653410042580D0
          XEX(10)=40.D0
          XEX(11)=1.0471975511965977462D0
          XEX(12)=-35.5460204691674291661D0
          TH=XEX(11)
          OM=4.D0
          R=RPAR(2)
          A=R**2/4.D0
          C=R**2/2.D0
          W3=(A*OM**2*SIN(TH)*COS(TH)-RPAR(3)*R*COS(TH))
     #       /((C+R**2)*OM*SIN(TH))
          CALL CLEAR(N,X)
          X(2)=R*W3*OM
          X(3)=-R*W3
          X(5)=OM
          X(7)=W3-OM*COS(TH)
          X(11)=TH
        END IF
        IF (MOD(K,3).EQ.1) THEN
          CALL JACCHK(NQ,NQ,0,0,0,0,2,0,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          XEX(6)=XEX(6)+0.7D0
          CALL JACCHK(NQ,NQ,0,0,0,0,2,0,10.D0,XEX,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          XEX(6)=XEX(6)-0.7D0
C         Rough multipliers and velocities of the centre: the rest
C         follows from the conditions of IVCOND.
          X(1)=1.D0
          X(2)=0.D0
          X(3)=X(3)+0.5D0
          X(4)=-0.5D0
        END IF
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    NQ,NQ,0,0,0,0,2,0,MX,NX,NQ+NQ-2,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*NX,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        IF (ITASK.EQ.1) CALL SHOWRN('Upright disk',IOPT,IJAC,TOL,
     #    IDID,T,IWORK,NGOOD,NBAD)
        IF (ITASK.EQ.2) CALL SHOWRN('Leaning disk',IOPT,IJAC,TOL,
     #    IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) X(1),X(2)
        WRITE(6,110) (X(2+I),I=1,NQ)
        WRITE(6,120) (X(2+NQ+I),I=1,NQ)
        CALL VERIFY('position',DEVMAX(NQ,X(3+NQ),XEX(3+NQ)),
     #              1.D3*TOL,NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(NQ,X(3),XEX(3)),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('multipliers',DEVMAX(2,X,XEX),
     #              (1.D4+1.D6*IOPT(5))*TOL,NGOOD,NBAD)
        CALL EOM(MX,NX,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of h',SIZMAX(2,RDA(3-2*IOPT(5))),
     #              TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   mu ',2F15.9)
  110 FORMAT('   v  ',5F13.8)
  120 FORMAT('   p  ',5F13.8)
      END
C
C     Mass matrix, force with constraint forces, H, (dH/dt)*v, and with
C     accelerations ACC kept: derivatives DF(.,p), DF(.,5+v) of the
C     force, DM of M*ACC by p, DH of H*ACC+(dH/dt)*v by p and v, DV of
C     H*v by p.
      SUBROUTINE MODEL(NQ,X,RPAR,A,F,HM,HD,LDER,ACC,DF,DM,DH,DV)
      IMPLICIT NONE
      INTEGER          NQ
      DOUBLE PRECISION X(*),RPAR(*),A(5,5),F(5),HM(2,5),HD(2),ACC(5),
     #                 DF(5,10),DM(5,5),DH(2,10),DV(2,5)
      LOGICAL          LDER
      DOUBLE PRECISION S,C,SP,CP,R,AI,CI,RM,VP,VT,VS,W3,MU1,MU2
      INTEGER          I
      CALL CLEAR(25,A)
      CALL CLEAR(5,F)
      CALL CLEAR(10,HM)
      IF (LDER) THEN
        CALL CLEAR(50,DF)
        CALL CLEAR(25,DM)
        CALL CLEAR(20,DH)
        CALL CLEAR(10,DV)
      END IF
      MU1=X(1)
      MU2=X(2)
      HM(1,1)=1.D0
      HM(2,2)=1.D0
      IF (NQ.EQ.4) THEN
C       h = (x'-R*theta'*cos(phi), y'-R*theta'*sin(phi))
        R=RPAR(4)
        SP=R*SIN(X(10))
        CP=R*COS(X(10))
        A(1,1)=RPAR(1)
        A(2,2)=RPAR(1)
        A(3,3)=RPAR(2)
        A(4,4)=RPAR(3)
        HM(1,3)=-CP
        HM(2,3)=-SP
        HD(1)=X(5)*X(6)*SP
        HD(2)=-X(5)*X(6)*CP
        IF (LDER) THEN
C         -H**T*mu by phi
          DF(3,4)=-(SP*MU1-CP*MU2)
          DV(1,4)=SP*X(5)
          DV(2,4)=-CP*X(5)
          DH(1,4)=SP*ACC(3)+X(5)*X(6)*CP
          DH(2,4)=-CP*ACC(3)+X(5)*X(6)*SP
          DH(1,5+3)=X(6)*SP
          DH(1,5+4)=X(5)*SP
          DH(2,5+3)=-X(6)*CP
          DH(2,5+4)=-X(5)*CP
        END IF
      ELSE
        RM=RPAR(1)
        R=RPAR(2)
        AI=RM*R**2/4.D0
        CI=RM*R**2/2.D0
        SP=SIN(X(10))
        CP=COS(X(10))
        S=SIN(X(11))
        C=COS(X(11))
        VP=X(5)
        VT=X(6)
        VS=X(7)
        W3=VS+VP*C
        A(1,1)=RM
        A(2,2)=RM
        A(3,3)=AI*S**2+CI*C**2
        A(3,5)=CI*C
        A(5,3)=CI*C
        A(4,4)=AI+RM*R**2*C**2
        A(5,5)=CI
        F(3)=-2.D0*AI*S*C*VT*VP+CI*S*VT*(C*VP+W3)
        F(4)=RM*R**2*C*S*VT**2+AI*VP**2*S*C-CI*W3*VP*S
     #       -RM*RPAR(3)*R*C
        F(5)=CI*VP*S*VT
        HM(1,3)=R*CP*C
        HM(1,4)=-R*S*SP
        HM(1,5)=R*CP
        HM(2,3)=R*SP*C
        HM(2,4)=R*S*CP
        HM(2,5)=R*SP
        HD(1)=-R*(VT**2*C*SP+2.D0*VT*VP*S*CP+W3*VP*SP)
        HD(2)=R*(VT**2*C*CP-2.D0*VT*VP*S*SP+W3*VP*CP)
        IF (LDER) THEN
C         by phi
          DF(3,3)=R*C*(SP*MU1-CP*MU2)
          DF(4,3)=R*S*(CP*MU1+SP*MU2)
          DF(5,3)=R*(SP*MU1-CP*MU2)
          DV(1,3)=-R*SP*C*VP-R*S*CP*VT-R*SP*VS
          DV(2,3)=R*CP*C*VP-R*S*SP*VT+R*CP*VS
          DH(1,3)=-R*SP*C*ACC(3)-R*S*CP*ACC(4)-R*SP*ACC(5)-HD(2)
          DH(2,3)=R*CP*C*ACC(3)-R*S*SP*ACC(4)+R*CP*ACC(5)+HD(1)
C         by theta
          DF(3,4)=-2.D0*AI*(C**2-S**2)*VT*VP
     #            +CI*VT*(C*(C*VP+W3)-2.D0*S**2*VP)
     #            +R*S*(CP*MU1+SP*MU2)
          DF(4,4)=(C**2-S**2)*(RM*R**2*VT**2+AI*VP**2)
     #            -CI*VP*(W3*C-VP*S**2)+RM*RPAR(3)*R*S
     #            +R*C*(SP*MU1-CP*MU2)
          DF(5,4)=CI*VP*C*VT
          DM(3,4)=2.D0*S*C*(AI-CI)*ACC(3)-CI*S*ACC(5)
          DM(4,4)=-2.D0*RM*R**2*S*C*ACC(4)
          DM(5,4)=-CI*S*ACC(3)
          DV(1,4)=-R*CP*S*VP-R*C*SP*VT
          DV(2,4)=-R*SP*S*VP+R*C*CP*VT
          DH(1,4)=-R*CP*S*ACC(3)-R*C*SP*ACC(4)
     #            -R*(-VT**2*S*SP+2.D0*VT*VP*C*CP-VP**2*S*SP)
          DH(2,4)=-R*SP*S*ACC(3)+R*C*CP*ACC(4)
     #            +R*(-VT**2*S*CP-2.D0*VT*VP*C*SP-VP**2*S*CP)
C         by the velocities of phi, theta, psi
          DF(3,5+3)=-2.D0*AI*S*C*VT+2.D0*CI*S*VT*C
          DF(3,5+4)=-2.D0*AI*S*C*VP+CI*S*(C*VP+W3)
          DF(3,5+5)=CI*S*VT
          DF(4,5+3)=2.D0*AI*VP*S*C-CI*S*(W3+VP*C)
          DF(4,5+4)=2.D0*RM*R**2*C*S*VT
          DF(4,5+5)=-CI*VP*S
          DF(5,5+3)=CI*S*VT
          DF(5,5+4)=CI*VP*S
          DH(1,5+3)=-R*(2.D0*VT*S*CP+(W3+VP*C)*SP)
          DH(1,5+4)=-R*(2.D0*VT*C*SP+2.D0*VP*S*CP)
          DH(1,5+5)=-R*VP*SP
          DH(2,5+3)=R*(-2.D0*VT*S*SP+(W3+VP*C)*CP)
          DH(2,5+4)=R*(2.D0*VT*C*CP-2.D0*VP*S*SP)
          DH(2,5+5)=R*VP*CP
        END IF
      END IF
      DO 10 I=1,NQ
        F(I)=F(I)-HM(1,I)*MU1-HM(2,I)*MU2
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(5,5),F(5),HM(2,5),HD(2),Y(5),D(50)
      INTEGER          NQ,I,J,L
      NQ=IPAR(1)
      CALL MODEL(NQ,X,RPAR,A,F,HM,HD,.FALSE.,D,D,D,D,D)
      L=2
      IF (IOPT(5).EQ.1) L=0
      DO 20 J=1,2
        RDA(L+J)=0.D0
        DO 10 I=1,NQ
          RDA(L+J)=RDA(L+J)+HM(J,I)*X(2+I)
   10   CONTINUE
   20 CONTINUE
      DO 30 I=1,NQ
        RDA(L+2+I)=F(I)
        RDA(L+2+NQ+I)=X(2+I)
        Y(I)=F(I)
   30 CONTINUE
      IF (L.EQ.0) RETURN
C     hI = H*M**(-1)*F+(dH/dt)*v
      CALL ELIMIN(NQ,1,A,5,Y,5)
      DO 50 J=1,2
        RDA(J)=HD(J)
        DO 40 I=1,NQ
          RDA(J)=RDA(J)+HM(J,I)*Y(I)
   40   CONTINUE
   50 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(5,5),F(5),HM(2,5),HD(2),D(50)
      INTEGER          I,J
      CALL MODEL(IPAR(1),X,RPAR,A,F,HM,HD,.FALSE.,D,D,D,D,D)
      DO 20 J=1,N
        DO 10 I=1,M
          MA(I,J)=A(I,J)
   10   CONTINUE
   20 CONTINUE
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
      DOUBLE PRECISION A(5,5),F(5),HM(2,5),HD(2),ACC(5),DF(5,10),
     #                 DM(5,5),DH(2,10),DV(2,5),Y(5,12)
      INTEGER          NQ,I,J,K
      NQ=IPAR(1)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
C     Accelerations first, then what depends on them
      CALL MODEL(NQ,X,RPAR,A,F,HM,HD,.FALSE.,ACC,DF,DM,DH,DV)
      DO 10 I=1,NQ
        ACC(I)=F(I)
   10 CONTINUE
      CALL ELIMIN(NQ,1,A,5,ACC,5)
      CALL MODEL(NQ,X,RPAR,A,F,HM,HD,.TRUE.,ACC,DF,DM,DH,DV)
      DO 40 I=1,NQ
        DO 20 J=1,2
          FX5(I,J)=HM(J,I)
          FX2(J,I)=-HM(J,I)
          FX2(J,NQ+I)=-DV(J,I)
          Y(I,J)=HM(J,I)
   20   CONTINUE
        FX6(I,I)=-1.D0
        DO 30 K=1,NQ
          FX5(I,2+K)=-DF(I,5+K)
          FX5(I,2+NQ+K)=-DF(I,K)
          Y(I,2+K)=-DF(I,5+K)
          Y(I,2+NQ+K)=-DF(I,K)+DM(I,K)
   30   CONTINUE
   40 CONTINUE
      IF (M1.EQ.0) RETURN
      CALL ELIMIN(NQ,N,A,5,Y,5)
      DO 80 J=1,2
        DO 60 K=1,N
          DO 50 I=1,NQ
            FX1(J,K)=FX1(J,K)+HM(J,I)*Y(I,K)
   50     CONTINUE
   60   CONTINUE
        DO 70 K=1,NQ
          FX1(J,2+K)=FX1(J,2+K)-DH(J,5+K)
          FX1(J,2+NQ+K)=FX1(J,2+NQ+K)-DH(J,K)
   70   CONTINUE
   80 CONTINUE
      RETURN
      END
C
C     A*Y=B for K right-hand sides, by elimination; A and B are lost.
      SUBROUTINE ELIMIN(N,K,A,LDA,B,LDB)
      IMPLICIT NONE
      INTEGER          N,K,LDA,LDB,I,J,L,LP
      DOUBLE PRECISION A(LDA,*),B(LDB,*),F
      DO 50 L=1,N
        LP=L
        DO 10 I=L+1,N
          IF (ABS(A(I,L)).GT.ABS(A(LP,L))) LP=I
   10   CONTINUE
        DO 20 J=1,N
          F=A(L,J)
          A(L,J)=A(LP,J)
          A(LP,J)=F
   20   CONTINUE
        DO 25 J=1,K
          F=B(L,J)
          B(L,J)=B(LP,J)
          B(LP,J)=F
   25   CONTINUE
        DO 40 I=L+1,N
          F=A(I,L)/A(L,L)
          DO 30 J=L,N
            A(I,J)=A(I,J)-F*A(L,J)
   30     CONTINUE
          DO 35 J=1,K
            B(I,J)=B(I,J)-F*B(L,J)
   35     CONTINUE
   40   CONTINUE
   50 CONTINUE
      DO 80 J=1,K
        DO 70 L=N,1,-1
          DO 60 I=L+1,N
            B(L,J)=B(L,J)-A(L,I)*B(I,J)
   60     CONTINUE
          B(L,J)=B(L,J)/A(L,L)
   70   CONTINUE
   80 CONTINUE
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
C     All positions, and the velocities that are not those of the centre
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      INTEGER          NQ,I
      NQ=IPAR(1)
      DO 10 I=1,NQ
        COND(I)=X(2+NQ+I)
   10 CONTINUE
      IF (NQ.EQ.4) THEN
        COND(5)=X(5)-3.D0
        COND(6)=X(6)-2.D0
      ELSE
        COND(4)=COND(4)-1.0471975511965977462D0
        COND(6)=X(5)-4.D0
        COND(7)=X(6)
        COND(8)=X(7)+3.5546020469167429167D0
      END IF
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
